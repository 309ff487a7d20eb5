/* Map the file of weights into memory, and check its size and checksum. Calls take it in their options. */
int prefix_weights_open(const char *path, prefix_weights **weights);
void prefix_weights_close(prefix_weights *weights);
