#include "backends/gloo/links/streams/stall.hpp"

#include <iomanip>
#include <sstream>

namespace dipaco {

std::string describe(const Stall& stall) {
  std::ostringstream text;
  text << "stream " << stall.stream << (stall.receives ? " from it " : " to it ");
  if (stall.broke) {
    text << "broke";
  } else {
    text << "stood for " << std::fixed << std::setprecision(1) << stall.stood.count() << " s";
  }
  text << " behind " << stall.chunks << " chunks and " << stall.bytes << " bytes of the next";
  if (stall.receives) {
    text << ", with " << stall.owed << " chunks owed";
  } else {
    text << (stall.on_the_way ? "; what this node had sent did not come there" : "; no word of it came back");
  }
  return text.str() + "; it goes on from there over another connection";
}

}  // namespace dipaco
