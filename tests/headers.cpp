// Owns the precompiled header that all tests share (CMakeLists.txt).
int main() {}
