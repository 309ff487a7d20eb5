"use strict";
readData("data").then(data => new GraphView(document.querySelector("main.graph"), data));
