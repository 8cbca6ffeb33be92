/* SPDX-License-Identifier: Apache-2.0
 * A binary heap in an array: all elements in, half of them out. ENTRY: run(a[n], n) */
static int heap[64], size;

static void push(int x) {
    int at = size++;
    while (at && heap[(at - 1) / 2] > x) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = x;
}

static int pop(void) {
    int top = heap[0], x = heap[--size], at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= x)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = x;
    return top;
}

int run(const int *a, int n) {
    int sum = 0;
    size = 0;
    for (int i = 0; i < n; i++)
        push(a[i]);
    for (int i = 0; i < n / 2; i++)
        sum ^= pop();
    return sum;
}
