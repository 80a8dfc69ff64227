#pragma once

// The parts of Boost.Asio that the links use, in one place: its 1.74 headers miss an include.

// It knows coroutines of g++, and takes clang's for the older kind unless it is told.
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1

// clang-format off
#include <utility>
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace dipaco {

namespace asio = boost::asio;
using asio::ip::tcp;

/// A coroutine of the links' thread.
template <class T>
using Awaitable = asio::awaitable<T>;

}  // namespace dipaco
