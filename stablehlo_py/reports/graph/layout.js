"use strict";
// Where boxes go. Layers from top to bottom, as values flow; within a layer near to what a box is joined to.
// Long edges get no places of their own: a training step has thousands, from each value kept for the backward
// pass to its use, and general layout libraries take a minute over them.

const Layout = (() => {
  const GAP_X = 14, GAP_Y = 34, SWEEPS = 6, WIDEST = 1600;

  // boxes: [{w, h}], edges: [[from, to]] with from before to. Sets x and y (corners), and gives the whole size and
  // the rows from top to bottom: boxes from left to right.
  function layered(boxes, edges) {
    const above = boxes.map(() => []), below = boxes.map(() => []);
    for (const [from, to] of edges) { above[to].push(from); below[from].push(to); }
    const layers = intoLayers(boxes, above, below);
    for (const layer of layers) spread(layer, boxes, layer.map((_, i) => i * 60));
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const down = sweep % 2 === 0;
      for (const layer of down ? layers : [...layers].reverse()) settle(layer, boxes, down ? above : below);
    }
    return measure(layers, boxes);
  }

  // The longest way from the start, then down to right above the first use. What only ends use stays: a return
  // takes a hundred results, which would all stand in one row above it.
  function intoLayers(boxes, above, below) {
    const level = boxes.map(() => 0);
    boxes.forEach((_, i) => { for (const j of above[i]) level[i] = Math.max(level[i], level[j] + 1); });
    for (let i = boxes.length - 1; i >= 0; i--) {
      const uses = below[i].filter(j => below[j].length);
      if (uses.length) level[i] = Math.min(...uses.map(j => level[j])) - 1;
      else if (!above[i].length && below[i].length) level[i] = Math.min(...below[i].map(j => level[j])) - 1;
    }
    const lowest = level.reduce((least, each) => Math.min(least, each), 0);
    const layers = [];
    boxes.forEach((_, i) => (layers[level[i] - lowest] ??= []).push(i));
    return layers.filter(Boolean).flatMap(layer => wrapped(layer, boxes));
  }

  // A layer in rows: the updates of all weights are side by side.
  function wrapped(layer, boxes) {
    const width = layer.reduce((sum, i) => sum + boxes[i].w + GAP_X, 0), count = Math.ceil(width / WIDEST);
    const size = Math.ceil(layer.length / count);
    return Array.from({ length: count }, (_, row) => layer.slice(row * size, (row + 1) * size)).filter(row => row.length);
  }

  const middle = (boxes, i) => boxes[i].x + boxes[i].w / 2;

  // Moves a layer's boxes under (or over) the middle of what they are joined to, as far as there is room.
  function settle(layer, boxes, joined) {
    const wanted = new Map(layer.map(i => [i, joined[i].length
      ? joined[i].reduce((sum, j) => sum + middle(boxes, j), 0) / joined[i].length : middle(boxes, i)]));
    layer.sort((a, b) => wanted.get(a) - wanted.get(b));
    spread(layer, boxes, layer.map(i => wanted.get(i)));
  }

  // The places nearest to the wanted middles at which boxes, in this order, do not overlap: those that would
  // are moved together as one block, to the mean of what its boxes want.
  function spread(layer, boxes, wanted) {
    const blocks = [];
    layer.forEach((box, place) => {
      let block = { start: wanted[place] - boxes[box].w / 2, width: boxes[box].w + GAP_X, count: 1, members: [box] };
      for (let last; (last = blocks.at(-1)) && last.start + last.width > block.start; blocks.pop())
        block = joinBlocks(last, block);
      blocks.push(block);
    });
    for (const block of blocks) {
      let x = block.start;
      for (const box of block.members) { boxes[box].x = x; x += boxes[box].w + GAP_X; }
    }
  }

  function joinBlocks(a, b) {
    const count = a.count + b.count;
    const start = (a.start * a.count + (b.start - a.width) * b.count) / count;
    for (const member of b.members) a.members.push(member);
    return { start, width: a.width + b.width, count, members: a.members };
  }

  function measure(layers, boxes) {
    const left = boxes.reduce((least, box) => Math.min(least, box.x), Infinity);
    let y = 0, right = 0;
    for (const layer of layers) {
      const height = layer.reduce((most, i) => Math.max(most, boxes[i].h), 0);
      for (const i of layer) {
        boxes[i].x -= left; boxes[i].y = y + (height - boxes[i].h) / 2;
        right = Math.max(right, boxes[i].x + boxes[i].w);
      }
      y += height + GAP_Y;
    }
    return { w: right, h: Math.max(0, y - GAP_Y), rows: layers.map(layer => layer.map(i => boxes[i])) };
  }

  // The place nearest to x where a line may pass a row of boxes.
  function free(row, x) {
    let low = 0, high = row.length;
    while (low < high) { const at = (low + high) >> 1; row[at].left - GAP_X / 2 < x ? low = at + 1 : high = at; }
    const box = row[low - 1];
    if (!box || x >= box.left + box.w + GAP_X / 2) return x;
    return x < box.left + box.w / 2 ? box.left - GAP_X / 2 : box.left + box.w + GAP_X / 2;
  }

  // The width of rows that makes boxes about as wide as high.
  function square(boxes, gap) {
    const area = boxes.reduce((sum, box) => sum + (box.w + gap) * (box.h + gap), 0);
    return Math.max(1200, Math.sqrt(area) * 1.3);
  }

  // Boxes in rows of about the same width.
  function rows(boxes, gap, limit = square(boxes, gap)) {
    let x = 0, y = 0, tallest = 0, w = 0;
    for (const box of boxes) {
      if (x && x + box.w > limit) { x = 0; y += tallest + gap; tallest = 0; }
      box.x = x; box.y = y; x += box.w + gap;
      tallest = Math.max(tallest, box.h); w = Math.max(w, x - gap);
    }
    return { w, h: y + tallest };
  }

  // The first box, and all others in rows: beside it if the widest has room there, else below it.
  function beside(boxes, gap, room) {
    const [first, ...others] = boxes, left = first.w + gap;
    const isBeside = others.every(box => left + box.w <= room);
    first.x = first.y = 0;
    rows(others, gap, isBeside ? room - left : undefined);
    for (const box of others) isBeside ? box.x += left : box.y += first.h + gap;
  }

  return { layered, free, rows, beside };
})();
