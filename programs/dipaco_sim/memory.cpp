// jemalloc reads the name malloc_conf before main begins. Freed memory stays with the program: a trainer's large arrays
// come and go at every inner step (docs/decisions/0006).
extern const char* const kMallocConf __asm__("malloc_conf");
const char* const kMallocConf = "dirty_decay_ms:-1,muzzy_decay_ms:-1";
