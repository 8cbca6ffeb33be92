/* SPDX-License-Identifier: Apache-2.0
 *
 * Was this process started as one of several, and how does it reach the others? Launchers set
 * environment variables. The code that talks to MPI is in a separate module, which is loaded only
 * then, so a machine without MPI does not need it.
 */
#include "base/base.h"
#include "cluster/transport.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set by mpirun, and by srun for programs that use MPI (--mpi=pmix, --mpi=pmi2). Slurm's other
 * variables are set for each step of a job, even if its tasks are meant to be independent. */
static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI2_RANK"};

static const char *const launchers_own[] = {"OMPI_",  "PMIX_",   "PMI_",     "PMI2_",
                                            "SLURM_", "HFI_NO_", "IPATH_NO_"};

extern char **environ;

bool cluster_is_launched(void) {
    for (size_t i = 0; i < BASE_COUNT(signs); i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

static bool is_launchers(const char *variable) {
    for (size_t i = 0; i < BASE_COUNT(launchers_own); i++)
        if (strncmp(variable, launchers_own[i], strlen(launchers_own[i])) == 0)
            return true;
    return false;
}

static void clean_environment(void) {
    char **to = environ;
    for (char **from = environ; *from; from++)
        if (!is_launchers(*from))
            *to++ = *from;
    *to = NULL;
}

static void *find_opener(const char **reason) {
    char *path = base_format("%s/lib/slowpath/slowpath-mpi.so", base_install_prefix());
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL), *opener = NULL;
    if (module)
        opener = dlsym(module, CLUSTER_OPEN_TRANSPORT);
    if (!opener)
        *reason = access(path, F_OK) == 0 ? dlerror() : "slowpath was built without MPI";
    free(path);
    return opener;
}

const struct cluster_transport *cluster_load_transport(const char **reason) {
    cluster_open_transport *open = NULL;
    void *found = find_opener(reason);
    if (!found)
        return NULL;
    memcpy(&open, &found, sizeof open);
    const struct cluster_transport *transport = open(reason);
    if (transport && transport->version != CLUSTER_TRANSPORT_VERSION) {
        *reason = "slowpath-mpi.so is of another version";
        return NULL;
    }
    if (transport)
        clean_environment();
    return transport;
}
