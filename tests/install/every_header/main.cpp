// Links what the components are for, and asks for a trainer, which has LibTorch loaded where it is there.

#include <exception>
#include <iostream>

#include "every_header.hpp"

int main() {
  const bool all = &dipaco::run_loopback != nullptr && &dipaco::run_gloo != nullptr && &dipaco::simulate != nullptr;
  std::cout << (all ? "every component is linked\n" : "");
  try {
    dipaco::load_trainer({});
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
  }
}
