/* The constants are in the library. */

extern const char constants_of_library[] __asm__(CONSTANTS_SYMBOL) __attribute__((visibility("hidden")));

#define WEIGHTS_TEXT "the library has its weights: options take none"

static int find_constants(const prefix_options *options, const char **constants) {
  *constants = WEIGHTS_BYTES ? constants_of_library : NULL;
  return !options->weights;
}
