// The order of search results: titles that contain the query, then guides, then the generated reference.
var Scorer = {
  score: ([page, , , , score, , kind]) => score + (kind === "title" ? 20 : 0) - (page.startsWith("reference/") ? 5 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
