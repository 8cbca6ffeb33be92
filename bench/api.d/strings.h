/* Texts, as CharSetUtils and StringUtils have them: squeeze, Levenshtein distance. */
#ifndef STRINGS_CASE_H
#define STRINGS_CASE_H

/* A copy in which letters of SET do not repeat; the caller frees it. */
char *strings_squeeze(const char *text, const char *set);
int strings_distance(const char *a, const char *b);

#endif
