/* How a function of the library runs. Everything in this file is constant: a call writes to its results, to
   its memory and to the stack alone, so that several threads may call it at once. */

#define MOST_THREADS 64

enum space { INPUT, OUTPUT, CONSTANT };

/* An array, by its position among the inputs or outputs, or by the offset of its bytes. */
struct place {
  enum space space;
  size_t at;
};

struct copy {
  size_t output;
  struct place from;
};

/* What the threads of a call share: the addresses of arrays, and what is counted. */
typedef void code(int64_t *bases, int64_t *sync, int64_t thread, int64_t threads);

/* Calls a routine of LAPACK by its number, with the addresses of arrays. */
typedef void call(int64_t number, char **arrays);

struct body {
  const prefix_function *info;
  code *code; /* NULL if nothing is computed */
  call *call; /* NULL if no routine is called */
  int is_short; /* whether starting threads takes longer than they save */
  size_t scratch_bytes, bases_bytes, sync_bytes; /* of the arena, behind each other */
  size_t place_count;
  const struct place *places;
  size_t copy_count;
  const struct copy *copies;
};

static const char *address(struct place place, const void *const *inputs, void *const *outputs,
                           const char *constants) {
  switch (place.space) {
  case INPUT:
    return (const char *)inputs[place.at];
  case OUTPUT:
    return (const char *)outputs[place.at];
  default:
    return constants + place.at;
  }
}

static int are_usable(const prefix_array *arrays, size_t count, const void *const *pointers) {
  if (count && !pointers)
    return 0;
  for (size_t i = 0; i < count; i++)
    if (arrays[i].bytes && (!pointers[i] || (uintptr_t)pointers[i] % arrays[i].alignment))
      return 0;
  return 1;
}

/* A thread of a call. The call does not wait for a thread that has not begun when all is computed, which takes
   long where other processes are busy: such a thread ends at once, and frees this. */
struct worker {
  enum { STARTED, BEGUN, LEFT } state;
  pthread_t thread;
  code *code;
  int64_t *bases, *sync;
  int64_t number, count;
};

static int is_first(struct worker *worker, int state) {
  return __atomic_exchange_n(&worker->state, state, __ATOMIC_ACQ_REL) == STARTED;
}

static void *work(void *given) {
  struct worker *worker = (struct worker *)given;
  if (is_first(worker, BEGUN))
    worker->code(worker->bases, worker->sync, worker->number, worker->count);
  else
    free(worker);
  return NULL;
}

/* NULL if the thread cannot be started, which is no error: the others do its part. */
static struct worker *start(code *code, int64_t *bases, int64_t *sync, size_t number, size_t threads) {
  struct worker *worker = (struct worker *)malloc(sizeof(struct worker));
  if (!worker)
    return NULL;
  *worker = (struct worker){STARTED, 0, code, bases, sync, (int64_t)number, (int64_t)threads};
  if (!pthread_create(&worker->thread, NULL, work, worker))
    return worker;
  free(worker);
  return NULL;
}

static void run_on(code *code, int64_t *bases, int64_t *sync, size_t threads) {
  struct worker *workers[MOST_THREADS];
  size_t started = 1;
  for (; started < threads; started++)
    if (!(workers[started] = start(code, bases, sync, started, threads)))
      break;
  code(bases, sync, 0, (int64_t)threads);
  while (--started) {
    pthread_t thread = workers[started]->thread;
    if (is_first(workers[started], LEFT)) {
      pthread_detach(thread);
    } else {
      pthread_join(thread, NULL);
      free(workers[started]);
    }
  }
}

/* The memory of a call. Large pages of the system spare a call some thousand page faults, which the system takes
   again in each call: it gets the memory back in between. */
static void *allocate(size_t bytes) {
#ifdef MADV_HUGEPAGE
  const size_t page = (size_t)1 << 21;
  if (bytes >= 4 * page) {
    void *made = NULL;
    if (posix_memalign(&made, page, bytes))
      return NULL;
    madvise(made, bytes / page * page, MADV_HUGEPAGE); /* the system may have none */
    return made;
  }
#endif
  return malloc(bytes);
}

static void compute(const struct body *body, const void *const *inputs, void *const *outputs, const char *constants,
                    char *arena, size_t threads) {
  int64_t credit = MOST_CREDIT; /* for sharing the loops of control flow */
  char *aligned = (char *)(((uintptr_t)arena + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  int64_t *bases = (int64_t *)(aligned + body->scratch_bytes);
  int64_t *sync = (int64_t *)(aligned + body->scratch_bytes + body->bases_bytes);
  bases[SCRATCH] = (int64_t)(uintptr_t)aligned;
  for (size_t i = 0; i < body->place_count; i++)
    bases[ARRAYS + i] = (int64_t)(uintptr_t)address(body->places[i], inputs, outputs, constants);
  memset(sync, 0, body->sync_bytes + (threads - 1) * body->info->arena_bytes_per_thread);
  sync[SYNC_CALLED] = (int64_t)(uintptr_t)body->call;
  sync[SYNC_CREDIT] = (int64_t)(uintptr_t)&credit;
  run_on(body->code, bases, sync, threads);
}

static int run(const struct body *body, const void *const *inputs, void *const *outputs,
               const prefix_options *given) {
  static const prefix_options defaults = PREFIX_OPTIONS;
  const prefix_options *options = given ? given : &defaults;
  const prefix_function *info = body->info;
  const char *constants = NULL;
  if (options->abi_version != PREFIX_ABI_VERSION)
    return PREFIX_ERROR_ABI_VERSION;
  if (missing_feature())
    return PREFIX_ERROR_PROCESSOR;
  if (!are_usable(info->inputs, info->input_count, inputs))
    return PREFIX_ERROR_INPUT;
  if (!are_usable(info->outputs, info->output_count, (const void *const *)outputs))
    return PREFIX_ERROR_OUTPUT;
  if (options->threads > MOST_THREADS)
    return PREFIX_ERROR_THREADS;
  if (!find_constants(options, &constants))
    return PREFIX_ERROR_WEIGHTS;
  if (body->code) {
    size_t threads = options->threads ? options->threads : 1;
    size_t bytes = info->arena_bytes + (threads - 1) * info->arena_bytes_per_thread;
    void *arena = options->arena ? options->arena : allocate(bytes);
    if (!arena)
      return PREFIX_ERROR_MEMORY;
    if (options->arena && options->arena_bytes < bytes)
      return PREFIX_ERROR_ARENA;
    compute(body, inputs, outputs, constants, (char *)arena, body->is_short ? 1 : threads);
    if (!options->arena)
      free(arena);
  }
  for (size_t i = 0; i < body->copy_count; i++) {
    size_t output = body->copies[i].output;
    memmove(outputs[output], address(body->copies[i].from, inputs, outputs, constants), info->outputs[output].bytes);
  }
  return PREFIX_OK;
}

static const char *processor_text(void) {
  const char *missing = missing_feature();
  return missing ? missing : "the processor of the call lacks a feature that the library was built for";
}

uint32_t prefix_abi_version(void) { return PREFIX_ABI_VERSION; }

const char *prefix_status_text(int status) {
  switch (status) {
  case PREFIX_OK:
    return "success";
  case PREFIX_ERROR_ABI_VERSION:
    return "the options are those of another ABI version: compile with the header of this library";
  case PREFIX_ERROR_PROCESSOR:
    return processor_text();
  case PREFIX_ERROR_INPUT:
    return "an input is NULL or not aligned to its elements";
  case PREFIX_ERROR_OUTPUT:
    return "an output is NULL or not aligned to its elements";
  case PREFIX_ERROR_ARENA:
    return "the arena has fewer bytes than the function needs";
  case PREFIX_ERROR_MEMORY:
    return "there is not enough memory";
  case PREFIX_ERROR_THREADS:
    return "there are more threads than a call can have, 64";
  case PREFIX_ERROR_WEIGHTS:
    return WEIGHTS_TEXT;
  case PREFIX_ERROR_WEIGHTS_FILE:
    return "the file of weights cannot be read";
  case PREFIX_ERROR_WEIGHTS_CHANGED:
    return "the file of weights is not the one that the library was built with: its size or checksum differs";
  default:
    return "an unknown status";
  }
}
