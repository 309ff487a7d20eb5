/* LAPACK has matrices column after column, the program row after row. */

static inline void transpose(const char *from, char *to, size_t rows, size_t columns, size_t size) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      memcpy(to + (j * rows + i) * size, from + (i * columns + j) * size, size);
}

/* Complex eigenvectors of real ones: two columns are the real and imaginary parts of a pair of vectors. */
#define DEFINE_VECTORS(real)                                                                                 \
  static inline void real##_vectors(const char *from, const char *imaginary, char *to, size_t n) {           \
    const real *columns = (const real *)from, *parts = (const real *)imaginary;                              \
    real *vectors = (real *)to;                                                                              \
    for (size_t j = 0; j < n; j++) {                                                                         \
      int is_first = j + 1 < n && parts[j] > 0, is_second = j > 0 && parts[j] < 0;                           \
      for (size_t i = 0; i < n; i++) {                                                                       \
        const real *column = columns + j * n + i;                                                            \
        vectors[2 * (i * n + j)] = is_second ? column[-(ptrdiff_t)n] : column[0];                            \
        vectors[2 * (i * n + j) + 1] = is_first ? column[n] : is_second ? -column[0] : 0;                    \
      }                                                                                                      \
    }                                                                                                        \
  }

DEFINE_VECTORS(float)
DEFINE_VECTORS(double)
