#include "analysis/page/document.hpp"

#include <utility>

#include "analysis/page/assets.hpp"
#include "analysis/page/html.hpp"
#include "core/base/xml_text.hpp"

namespace dipaco::analysis {

PageDocument::PageDocument(std::string title, const std::string& kind) : title_(std::move(title)), kind_(kind) {
  data_ = {{"kind", kind}, {"charts", nlohmann::ordered_json::array()}};
}

void PageDocument::heading(const std::string& text) { body_ += "<h2>" + xml_escaped(text) + "</h2>\n"; }

void PageDocument::paragraph(const std::string& text) { body_ += "<p>" + xml_escaped(text) + "</p>\n"; }

void PageDocument::table(const Table& table) {
  if (!table.rows.empty()) body_ += as_html(table);
}

void PageDocument::chart(const Chart& chart) {
  if (chart.series.empty()) return;
  const Chart shown = thinned(chart);
  figure(shown.id, shown.title, shown.note);
  data_["charts"].push_back(as_json(shown));
}

void PageDocument::charts(const std::vector<Chart>& charts) {
  body_ += "<div class=many>\n";
  for (const Chart& one : charts) chart(one);
  body_ += "</div>\n";
}

void PageDocument::figure(const std::string& id, const std::string& title, const std::string& note) {
  body_ += "<figure id=\"" + xml_escaped(id) + "\"><h3>" + xml_escaped(title) + "</h3>\n<div class=plot></div>\n";
  if (!note.empty()) body_ += "<figcaption>" + xml_escaped(note) + "</figcaption>\n";
  body_ += "</figure>\n";
}

std::string PageDocument::finish() const {
  const std::string title = xml_escaped(title_);
  std::string page =
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=icon href=\"data:,\">\n<title>" +
      title + "</title>\n<style>\n";
  page += kPageStyle;
  page += "</style>\n</head>\n<body class=" + kind_ + ">\n<h1>" + title +
          "</h1>\n<noscript><p>The charts need JavaScript.</p></noscript>\n" + body_ +
          "<script type=\"application/json\" id=page-data>" + script_json(data_) + "</script>\n<script>\n";
  page += kUplotScript;
  page += kPageScript;
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace dipaco::analysis
