/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the files below the folder it is run in that hold more than so many bytes: larger 40.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void list(const char *folder, long bytes) {
    DIR *opened = opendir(folder);
    struct dirent *item;
    while (opened && (item = readdir(opened))) {
        char path[8192];
        struct stat status;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (lstat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode))
            list(path, bytes);
        else if (status.st_size > bytes)
            puts(path);
    }
    if (opened)
        closedir(opened);
}

int main(int count, char **words) {
    list(".", count > 1 ? atol(words[1]) : 0);
    return 0;
}
