/* The interface of a program that `shlo build` has compiled. It needs the C library alone: -lm -lpthread. */

#ifndef PREFIX_H
#define PREFIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PREFIX_ABI_VERSION 1u

/* What functions return. */
typedef enum prefix_status {
  PREFIX_OK = 0,
  PREFIX_ERROR_ABI_VERSION = 1,
  PREFIX_ERROR_PROCESSOR = 2,
  PREFIX_ERROR_INPUT = 3,
  PREFIX_ERROR_OUTPUT = 4,
  PREFIX_ERROR_ARENA = 5,
  PREFIX_ERROR_MEMORY = 6,
  PREFIX_ERROR_THREADS = 7,
  PREFIX_ERROR_WEIGHTS = 8,
  PREFIX_ERROR_WEIGHTS_FILE = 9,
  PREFIX_ERROR_WEIGHTS_CHANGED = 10
} prefix_status;

/* An input or a result: a dense array, the last dimension being that of neighbours in memory. */
typedef struct prefix_array {
  const char *name;         /* in UTF-8; "" if it has none */
  const char *element_type; /* as StableHLO writes it: f32, bf16, i1, complex<f64> */
  size_t element_bytes;     /* elements of fewer than 8 bits take a byte each; i1 is 0 or 1 */
  size_t alignment;         /* of the address */
  size_t rank;
  const int64_t *shape;
  size_t bytes;
} prefix_array;

/* A function of the program. */
typedef struct prefix_function {
  const char *name;
  size_t input_count;
  const prefix_array *inputs;
  size_t output_count;
  const prefix_array *outputs;
  size_t arena_bytes;            /* of memory that a call needs besides inputs and outputs, for one thread */
  size_t arena_bytes_per_thread; /* of each further thread */
} prefix_function;

typedef struct prefix_weights prefix_weights;

/* How a function is called. */
typedef struct prefix_options {
  uint32_t abi_version;          /* PREFIX_ABI_VERSION */
  uint32_t threads;              /* that compute, 64 at most; 0 is 1 */
  void *arena;                   /* memory of the call; NULL: it is allocated and freed */
  size_t arena_bytes;            /* of it */
  const prefix_weights *weights; /* NULL if the library contains its weights */
} prefix_options;

/* The default options: `prefix_options options = PREFIX_OPTIONS;` */
#define PREFIX_OPTIONS {PREFIX_ABI_VERSION, 1u, NULL, 0, NULL}

/* The version that the library was built for; calls compare it with that of their options. */
uint32_t prefix_abi_version(void);

/* A status in words. */
const char *prefix_status_text(int status);

/* Functions take an address for each input and each output. Outputs overlap neither inputs nor each other.
   Options may be NULL. Several threads may call a function at once, each with an arena of its own. */

@DECLARATIONS@
#ifdef __cplusplus
}
#endif

#endif
