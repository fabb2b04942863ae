// Checks that run in the page: contrast (WCAG AA), names of controls, horizontal overflow.

/** Texts whose contrast is below WCAG 2 AA. */
export function lowContrast() {
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    if (text.startsWith("color(srgb")) return [...numbers.slice(0, 3).map((n) => n * 255), numbers[3] ?? 1];
    return [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
  };
  const over = (top, below) => {
    const part = top[3];
    return [0, 1, 2].map((i) => top[i] * part + below[i] * (1 - part)).concat(1);
  };
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const background = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      if (at instanceof SVGElement && at.parentElement?.classList?.contains("tile")) {
        layers.push(parse(getComputedStyle(at.parentElement.querySelector("rect")).fill));
        break;
      }
      if (at instanceof SVGSVGElement && at.querySelector("path[fill='#ffffff']")) {
        layers.push(parse(getComputedStyle(at.querySelector("path[fill='#ffffff']")).fill));
        break;
      }
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.textContent.trim() || !node || node.closest(":disabled, noscript, option, datalist, title, .unseen, dialog:not([open])")) continue;
    const box = node.getBoundingClientRect();
    if (!box.width || !box.height || !node.checkVisibility?.()) continue;
    const style = getComputedStyle(node);
    const below = background(node);
    const ink = over(parse(node instanceof SVGElement ? style.fill : style.color), below);
    const [high, low] = [luminance(ink), luminance(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faults.push(`${ratio.toFixed(2)}: "${text.textContent.trim().slice(0, 40)}" in ${node.tagName}.${node.className.baseVal ?? node.className}`);
  }
  return [...new Set(faults)];
}

/** Controls without a name. */
export function unnamedControls() {
  const named = (node) => node.getAttribute("aria-label") || node.title || node.textContent.trim()
    || [...(node.labels ?? [])].some((label) => label.textContent.trim());
  const controls = [...document.querySelectorAll("button, a[href], input, select, textarea, progress, [tabindex='0']")];
  return controls.filter((node) => node.checkVisibility() && !named(node)).map((node) => node.outerHTML.slice(0, 120));
}

/** The horizontal overflow in pixels. */
export function overflow() {
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}
