#pragma once

namespace dipaco::analysis {

// The page's own files and uPlot's, put into the program when it is built: CMakeLists.txt beside this says which.
extern const char kPageStyle[];
extern const char kUplotScript[];  ///< with its licence
extern const char kPageScript[];

}  // namespace dipaco::analysis
