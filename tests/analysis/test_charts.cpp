#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/page/charts.hpp"
#include "analysis/page/html.hpp"

using namespace dipaco::analysis;

TEST_CASE("thinning keeps peaks and says what it left out", "[page]") {
  ChartSeries series{.name = "a"};
  for (int k = 0; k < 10'000; ++k) {
    series.x.push_back(k);
    series.y.push_back(k == 5'003 ? 99 : k == 7'001 ? -99 : 1);
  }
  const Chart chart = thinned(Chart{.id = "a", .title = "a", .series = {series}});
  const ChartSeries& few = chart.series[0];
  CHECK(few.x.size() <= 1200);
  CHECK(few.x.front() == 0);
  CHECK(few.x.back() == 9'999);
  CHECK(std::ranges::is_sorted(few.x));
  CHECK(std::ranges::max(few.y) == 99);
  CHECK(std::ranges::min(few.y) == -99);
  CHECK(chart.note.find("of 10,000 points") != std::string::npos);
  CHECK(thinned(Chart{.id = "a", .series = {few}}).note.empty());
}

TEST_CASE("numbers of a page have six digits", "[page]") {
  CHECK(rounded(1234567.89) == 1234568);
  CHECK(rounded(0.123456789) == 0.123457);
  CHECK(rounded(-12.3456789) == -12.3457);
  CHECK(rounded_json(std::vector{0.0, 2.0, 1e20, 0.5}).dump() == "[0,2,1e+20,0.5]");
  CHECK(rounded_json(std::vector<std::optional<double>>{std::nullopt, 1}).dump() == "[null,1]");
}

TEST_CASE("a cell that is a quantity can be sorted by its number, also where it is a text", "[page]") {
  const Table table{
      "t", "A <table>", {{"a", "a"}, {"b", "b"}, {"c", "c"}}, {{Value{"10Mbps"}, {Unit::seconds, 90}, Value{"x"}}}};
  const std::string html = as_html(table);
  CHECK(html.find("<th scope=row data-n=1250000>10Mbps") != std::string::npos);
  CHECK(html.find("<td class=n data-n=90>1 min 30 s") != std::string::npos);
  CHECK(html.find("<td>x") != std::string::npos);
  CHECK(html.find("A &lt;table&gt;") != std::string::npos);
  CHECK(html.find("<table>") == std::string::npos);
}
