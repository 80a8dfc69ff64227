#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <string_view>

#include "tests/style/sizes.hpp"

namespace dipaco::style {
namespace {

/// Name and value of one kind: "Coordinator" -> 3. Of several with one name the last one.
std::map<std::string, int> sizes_of(const std::string& what, std::string_view source) {
  std::map<std::string, int> found;
  for (const Size& size : sizes_in(source, "x.hpp")) {
    if (size.what == what) found[size.name] = size.value;
  }
  return found;
}

using Sizes = std::map<std::string, int>;

/// Of `class X { BODY };`
int functions_of(const std::string& body) { return sizes_of("functions", "class X {\n" + body + "\n};").at("X"); }
int members_of(const std::string& body) { return sizes_of("members", "class X {\n" + body + "\n};").at("X"); }

}  // namespace

TEST_CASE("constructors, destructors, overloads and static functions count as functions", "[style]") {
  // X(), X(int), ~X, run, run const, make: 6
  CHECK(functions_of(R"(
   public:
    X() : a_(1), b_{2} {}
    explicit X(int a);
    ~X();
    void run();
    [[nodiscard]] int run(int a) const { return a; }
    static X make();
   private:
    int a_ = f(3);
    int b_{0};)") == 6);
}

TEST_CASE("each operator and conversion counts as a function", "[style]") {
  // =, ==, <=>, <, <=, <<, (), [], ->, +=, new, bool, vector: 13
  CHECK(functions_of(R"(
    X& operator=(const X& other);
    bool operator==(const X& other) const;
    auto operator<=>(const X& other) const { return 0; }
    bool operator<(const X& other) const;
    bool operator<=(const X& other) const;
    X& operator<<(int a);
    void operator()(int a) const {}
    int operator[](int a) const;
    X* operator->();
    X& operator+=(const X& other);
    void* operator new(std::size_t size);
    explicit operator bool() const;
    operator std::vector<int>() const;)") == 13);
}

TEST_CASE("what is deleted or defaulted, and friends, count as no function", "[style]") {
  CHECK(functions_of(R"(
    X() = default;
    X(const X&) = delete;
    X& operator=(X&&) noexcept = default;
    virtual ~X() = default;
    friend class Y;
    friend bool operator==(const X&, const X&) = default;
    friend bool operator<(const X& a, const X& b) { return a.v < b.v; }
    friend void swap(X& a, X& b);
    using Base::run;
    static_assert(sizeof(int) == 4);)") == 0);
  CHECK(functions_of("virtual void run() = 0;") == 1);
}

TEST_CASE("templates count once, whatever their parameters and arguments", "[style]") {
  // one, two, three, four, X: 5
  const std::string body = R"(
    template <class T, int N = (3 > 2)>
    void one(const std::map<T, std::vector<int>>& map);
    template <class T>
      requires std::is_integral_v<T>
    T two(T value) { return value; }
    template <class T>
      requires(sizeof(T) > 4)
    T three(T value) noexcept(noexcept(T())) { return value; }
    decltype(auto) four() const;
    template <class... T>
    explicit(sizeof...(T) == 1) X(T&&... all) : a_(all...) {}
   private:
    std::function<void(int)> a_;
    std::map<int, std::set<std::pair<int, int>>> b_;)";
  CHECK(functions_of(body) == 5);
  CHECK(members_of(body) == 2);
  CHECK(sizes_of("functions", "template <> struct Y<int> final : Base<X<int>> { void f(); };") == Sizes{{"Y", 1}});
  CHECK(sizes_of("functions", "template <class T> requires(sizeof(T) > 4) class alignas(8) Y { void f(); };") ==
        Sizes{{"Y", 1}});
}

TEST_CASE("default arguments with braces, and functions in them, are a part of their function", "[style]") {
  const std::string body = R"(
    explicit X(const Options& options = {}, std::function<int(int)> next = [](int a) { using B = int; return B(a); });
    void run(int a = 1, std::vector<int> b = {1, 2}) const { go(); }
   private:
    int a_ = 0;)";
  CHECK(functions_of(body) == 2);
  CHECK(members_of(body) == 1);
}

TEST_CASE("data that are private or protected are members, one for each name", "[style]") {
  // a_ to k_: 11
  CHECK(members_of(R"(
    int a_ = 0, b_ = f(1, 2);
    std::atomic<bool> c_{false};
    const std::map<int, int> d_ = {{1, 2}};
    mutable std::unique_ptr<Y> e_;
    unsigned f_ : 3;
   protected:
    std::array<int, 3> g_{1, 2, 3};
    void (*h_)(int) = nullptr;
    struct Y i_;
    decltype(f(1)) j_;
    std::conditional_t<(kA > kB), int, long> k_;)") == 11);
}

TEST_CASE("public data, static data, types and forward declarations are no members", "[style]") {
  CHECK(members_of(R"(
    static constexpr int kMost = 3;
    static inline std::atomic<int> made_{0};
    using Names = std::vector<std::string>;
    typedef int Number;
    enum class Kind : int { one, two };
    enum Old { three };
    class Later;
    struct Inner { int a; };
   public:
    int a = 0;)") == 0);
  CHECK(sizes_of("members", "struct Record { int a = 0; std::string b{}; };") == Sizes{{"Record", 0}});
  CHECK(sizes_of("members", "struct Mixed { int a; private: int b_; };") == Sizes{{"Mixed", 1}});
}

TEST_CASE("a class within a class has its own name and counts", "[style]") {
  const std::string_view source = R"(
namespace a::b { namespace {
class Outer : public Base, private Other<int> {
 public:
  struct Entry {
    int a = 0;
    bool same() const { return true; }
  };
  class Reader {
    void read();
    int at_ = 0;
  };
  void one();
 private:
  struct { int x = 0; } place_;
  Entry entry_;
};
struct Outer::Late { void f(); };
}})";
  CHECK(sizes_of("functions", source) ==
        Sizes{{"Outer", 1}, {"Outer::Entry", 1}, {"Outer::Reader", 1}, {"Outer::", 0}, {"Outer::Late", 1}});
  CHECK(sizes_of("members", source) ==
        Sizes{{"Outer", 2}, {"Outer::Entry", 0}, {"Outer::Reader", 1}, {"Outer::", 0}, {"Outer::Late", 0}});
}

TEST_CASE("a function's lines are counted from its brace to the one that closes it", "[style]") {
  const std::string_view source = R"(
int one() { return 1; }
int two() {
  return 2;
}
int three(int a,
          int b) {
  const auto f = [](int x) {
    struct Local { int y; };
    return Local{x}.y;
  };

  return f(a);  // }
}
const auto kFunction = [] {
  return 1;
};
)";
  // from line 7 to 14: 7
  CHECK(sizes_of("lines", source) == Sizes{{"one", 0}, {"two", 2}, {"three", 7}});
  CHECK(sizes_of("functions", source).empty());  // a class in a function is a part of it
}

TEST_CASE("a function has the name of its class, wherever its body stands", "[style]") {
  const std::string_view source = R"(
class X { void in() {} ~X() {} explicit(true) X(char) {} bool operator==(int) const { return true; } struct Y { void deep() {} }; };
X::X(int a) : a_(a) {}
X::~X() {}
const std::vector<int>& X::get(std::span<const int> a) const {}
template <class T> void Y<T>::put(T a) {}
X& X::operator+=(const X& a) {}
void X::operator()(int a) const {}
X::operator bool() const {}
extern "C" __attribute__((visibility("default"))) const ns::X* make(int a) {}
extern "C" { void inner() {} }
decltype(auto) Z::any() {}
template <class T> requires(sizeof(T) > 4) void large(T a) {}
static std::optional<int> free_one() {})";
  CHECK(sizes_of("lines", source) == Sizes{{"X::in", 0},
                                           {"X::~X", 0},
                                           {"X::operator", 0},
                                           {"X::Y::deep", 0},
                                           {"X::X", 0},
                                           {"X::get", 0},
                                           {"Y::put", 0},
                                           {"make", 0},
                                           {"inner", 0},
                                           {"Z::any", 0},
                                           {"large", 0},
                                           {"free_one", 0}});
}

TEST_CASE("a constructor's body is told from the braces of its initialisers", "[style]") {
  const std::string_view source = R"(
X::X(int a, int b = 3) noexcept
    : Base<int>{a}, a_{a}, b_(b), c_{[] {
        return 1;
      }()} {
  go();
}
X::X() : a_{1} {}
Y::Y()
try : a_(1) {
  go();
} catch (const std::exception& e) {
  stop();
} catch (...) {
  stop();
}
void next() {})";
  CHECK(sizes_in(source, "x.cpp") == std::vector<Size>{{"lines", "X::X", 2, "x.cpp:5"},
                                                       {"lines", "X::X", 0, "x.cpp:8"},
                                                       {"lines", "Y::Y", 6, "x.cpp:10"},
                                                       {"lines", "next", 0, "x.cpp:17"}});
}

TEST_CASE("variables with braces, concepts and function pointers are no functions", "[style]") {
  CHECK(sizes_in(R"(
constexpr SiteId kEast{0};
const std::map<int, int> kMap{{1, 2}, {3, 4}};
const struct Place kPlace = {1, 2};
template <class T> concept Small = requires(T a) { a.small(); };
void (*handler)(int) = nullptr;
using namespace std;
enum class Kind { one };
int f(int a);
)",
                 "x.hpp")
            .empty());
}

TEST_CASE("text in raw strings and braces in comments change no size", "[style]") {
  const std::string_view source =
      "class X {\n  // } {\n  void f() { g(R\"(\n}; class Y {)\"); }\n  void h();  /* { */\n};";
  CHECK(sizes_of("functions", source) == Sizes{{"X", 2}});
  CHECK(sizes_of("lines", source) == Sizes{{"X::f", 1}});
}

}  // namespace dipaco::style
