// The page without a network: what the broker served last. It never answers for the bus, which is a WebSocket.
const CACHE = 'stridebus-page'
const FILES = ['./', 'page.js', 'page.css', 'manifest.webmanifest', 'icon.svg']
/** How long the network is waited for before the kept copy is shown, ms. */
const PATIENCE_MS = 3000

const worker = /** @type {any} */ (self)

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => worker.skipWaiting()))
})

worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const url = new URL(event.request.url)
  if (event.request.method !== 'GET' || url.origin !== location.origin) return
  const isPage = event.request.mode === 'navigate' && url.pathname === new URL('./', worker.registration.scope).pathname
  const isFile = FILES.some((file) => url.pathname === new URL(file, worker.registration.scope).pathname)
  if (isPage || isFile) event.respondWith(answer(event.request, isPage))
})

/**
 * The network's answer, which is kept; the kept one where the network is away or slow, or answers with an error, as what
 * stands before a broker that is down does.
 *
 * @param {Request} request
 * @param {boolean} isPage the page itself, whatever its query
 */
async function answer(request, isPage) {
  const cache = await caches.open(CACHE)
  const key = isPage ? './' : request
  const fresh = fetch(request).then((response) => {
    if (response.ok) void cache.put(key, response.clone())
    return response
  })
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  const first = await Promise.race([fresh.catch(() => undefined), late])
  return first?.ok ? first : await cache.match(key) ?? first ?? fresh
}
