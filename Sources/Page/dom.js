// Elements from values. Text from the bus only ever becomes a text node or an attribute's value, never markup.

/** @typedef {string | number | Node | null | undefined | false} Child */

/**
 * Makes an element.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 *   `onclick` and the like are listeners; `true` is an attribute without a value; null, undefined and false are left out.
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  append(element, children)
  return element
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)))
  }
}

/**
 * Puts children in place of all that an element has. The keyboard stays where it was, or goes to what stands there now.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function replace(parent, ...children) {
  const focused = document.activeElement
  const isInside = focused instanceof HTMLElement && focused !== parent && parent.contains(focused)
  const same = () => [...parent.querySelectorAll(focused?.localName ?? '')].filter((each) => focused && wordsOf(each) === wordsOf(focused))
  const place = isInside ? same().indexOf(focused) : -1
  parent.replaceChildren()
  append(parent, children)
  const next = !isInside || focused.isConnected ? focused : same()[place]
  if (isInside && next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/** @param {Element} element */
function wordsOf(element) {
  return element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent
}

/**
 * Sets an element's text where it differs, so that nothing is laid out anew for a value that stayed.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  const node = element.firstChild
  if (node instanceof Text && element.childNodes.length === 1) {
    if (node.data !== text) node.data = text
  } else if (element.textContent !== text) {
    element.textContent = text
  }
}

/**
 * Sets or removes an attribute where it differs.
 *
 * @param {Element} element
 * @param {string} name
 * @param {string | null} value
 */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) === value) return
  if (value === null) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

/**
 * A drawing of 24 × 24 in the colour of the text, hidden from screen readers because a word stands beside it.
 *
 * @param {...string} paths the `d` of each stroke
 */
export function icon(...paths) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  for (const d of paths) {
    const path = document.createElementNS(space, 'path')
    path.setAttribute('d', d)
    svg.appendChild(path)
  }
  return svg
}

/**
 * A labelled choice.
 *
 * @param {string} label
 * @param {string[][]} options value and text of each
 * @param {string} value the one chosen
 * @param {(value: string) => void} change
 */
export function choice(label, options, value, change) {
  /** @type {HTMLSelectElement} */
  const select = h('select', { onchange: () => change(select.value) })
  setOptions(select, options, value)
  return { element: h('label', { class: 'field' }, h('span', {}, label), select), select }
}

/**
 * @param {HTMLSelectElement} select
 * @param {string[][]} options value and text of each
 * @param {string} value
 */
export function setOptions(select, options, value) {
  replace(select, ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)))
  select.value = value
}

/**
 * Offers bytes as a file to keep.
 *
 * @param {string} name
 * @param {string | Uint8Array[]} content
 * @param {string} type
 */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob(typeof content === 'string' ? [content] : content, { type }))
  const link = h('a', { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
