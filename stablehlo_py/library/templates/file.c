/* The constants are in a file, which is mapped into memory. */

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEIGHTS_TEXT "options have no weights: open the file of weights first"

struct prefix_weights {
  const char *bytes;
};

static int find_constants(const prefix_options *options, const char **constants) {
  if (!options->weights)
    return 0;
  *constants = options->weights->bytes;
  return 1;
}

/* The CRC-32 of IEEE 802.3, eight bytes at once. */
static uint32_t checksum(const unsigned char *bytes, size_t count) {
  uint32_t table[8][256], crc = 0xFFFFFFFFu;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++)
      value = (value >> 1) ^ (0xEDB88320u & (0u - (value & 1)));
    table[0][i] = value;
  }
  for (int k = 1; k < 8; k++)
    for (uint32_t i = 0; i < 256; i++)
      table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 255];
  for (; count >= 8; bytes += 8, count -= 8) {
    uint32_t low = crc ^ (bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
    crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
          table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
  }
  for (; count; bytes++, count--)
    crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 255];
  return ~crc;
}

static int map_file(const char *path, const char **bytes) {
  struct stat found;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *mapped = MAP_FAILED;
  if (file < 0)
    return PREFIX_ERROR_WEIGHTS_FILE;
  if (fstat(file, &found) || !S_ISREG(found.st_mode)) {
    close(file);
    return PREFIX_ERROR_WEIGHTS_FILE;
  }
  if ((uintmax_t)found.st_size == WEIGHTS_BYTES)
    mapped = mmap(NULL, WEIGHTS_BYTES, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if ((uintmax_t)found.st_size != WEIGHTS_BYTES)
    return PREFIX_ERROR_WEIGHTS_CHANGED;
  *bytes = (const char *)mapped;
  return mapped == MAP_FAILED ? PREFIX_ERROR_WEIGHTS_FILE : PREFIX_OK;
}

int prefix_weights_open(const char *path, prefix_weights **weights) {
  const char *bytes = NULL;
  prefix_weights *made;
  int status = path && weights ? map_file(path, &bytes) : PREFIX_ERROR_WEIGHTS_FILE;
  if (status)
    return status;
  made = (prefix_weights *)malloc(sizeof *made);
  if (!made || checksum((const unsigned char *)bytes, WEIGHTS_BYTES) != WEIGHTS_CHECKSUM) {
    munmap((void *)bytes, WEIGHTS_BYTES);
    status = made ? PREFIX_ERROR_WEIGHTS_CHANGED : PREFIX_ERROR_MEMORY;
    free(made);
    return status;
  }
  made->bytes = bytes;
  *weights = made;
  return PREFIX_OK;
}

void prefix_weights_close(prefix_weights *weights) {
  if (!weights)
    return;
  munmap((void *)weights->bytes, WEIGHTS_BYTES);
  free(weights);
}
