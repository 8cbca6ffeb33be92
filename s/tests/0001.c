/* fill with n = 6; compile this file together with run_driven.c. */

int fill(signed char *, int);

int main(void) {
    signed char steps[6] = {0, -128, -128, -128, -128, 0};
    fill(steps, 6);
    return 0;
}
