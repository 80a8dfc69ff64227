# Writes OUTPUT, a source file with the project's version and commit, if its text would change. Run at each build, so
# that a commit is never out of date: cmake -DSOURCE=... -DVERSION=... -DTEMPLATE=... -DOUTPUT=... -P write_version.cmake
execute_process(COMMAND git describe --always --dirty --tags
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
