"use strict";
// Data of a page: JSON in an element, compressed if it is long.

async function readData(id) {
  const { type, textContent } = document.getElementById(id);
  if (type === "application/json") return JSON.parse(textContent);
  const bytes = Uint8Array.from(atob(textContent), each => each.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(plain).json();
}
