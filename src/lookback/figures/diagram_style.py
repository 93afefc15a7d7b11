"""How a diagram looks: the rules that docs/assets/diagram.css holds, too."""

STYLE = """\
.lb-diagram {
  --lb-mark: var(--lb-edge, #85898f);
}
.lb-diagram svg {
  display: block;
  max-width: none;
  margin: 0 auto;
  overflow: visible;
  font-family: var(--lb-text, Roboto, sans-serif);
}
.lb-diagram text {
  fill: var(--lb-ink, currentcolor);
  text-anchor: middle;
}
.lb-diagram .start {
  text-anchor: start;
}
.lb-diagram .end {
  text-anchor: end;
}
.lb-diagram .y {
  font-family: "STIX Two Math", math, serif;
}
.lb-diagram .n {
  fill: var(--lb-muted, #5a5f66);
}
.lb-diagram .t {
  fill: var(--lb-mark);
}
.lb-diagram .a {
  fill: none;
  stroke: var(--lb-mark);
  stroke-width: 1.6;
}
.lb-diagram .trunk {
  stroke-width: 3;
}
.lb-diagram .e,
.lb-diagram .f {
  fill: var(--lb-mark);
}
.lb-diagram .s {
  fill: none;
  stroke: var(--lb-ink, currentcolor);
  stroke-width: 1.7;
}
.lb-diagram .b {
  fill: var(--lb-paper, #fff);
  stroke: var(--lb-mark);
  stroke-width: 1.4;
}
.lb-diagram .k {
  fill: color-mix(in srgb, var(--lb-mark) 15%, var(--lb-paper, #fff));
}
.lb-diagram .v {
  fill: var(--lb-mark);
  stroke: var(--lb-mark);
  stroke-width: 1.2;
}
.lb-diagram .g {
  fill: color-mix(in srgb, var(--lb-ink, #1e2124) 4%, transparent);
}
.lb-diagram .faint {
  opacity: 0.32;
}
.lb-diagram .c0 {
  --lb-mark: var(--lb-c0, #1b66c9);
}
.lb-diagram .c1 {
  --lb-mark: var(--lb-c1, #b84a00);
}
.lb-diagram .c2 {
  --lb-mark: var(--lb-c2, #08493a);
}
.lb-diagram .c3 {
  --lb-mark: var(--lb-c3, #9a2a80);
}
.lb-diagram .c4 {
  --lb-mark: var(--lb-c4, #70747a);
}
.lb-diagram .c5 {
  --lb-mark: var(--lb-c5, #26211c);
}
.lb-diagram a:is(:hover, :focus-visible) :is(.b, .v) {
  stroke-width: 2.6;
}
.lb-diagram .lb-unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: 0;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.lb-diagram .lb-diagram-key {
  margin: 0.8em 0 0;
  color: var(--lb-muted, #5a5f66);
  font-size: 12.5px;
  line-height: 1.5;
}
.lb-diagram-narrow {
  display: none !important;
}
@container (max-width: 659px) {
  .lb-diagram-wide {
    display: none !important;
  }
  .lb-diagram-narrow {
    display: block !important;
  }
}
"""
