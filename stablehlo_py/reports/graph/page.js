"use strict";
new GraphView(document.body, JSON.parse(document.getElementById("data").textContent));
