import { App } from './app.js'

// Within another page a reader could be led to tap what they do not see (a policy in the page's own text cannot forbid frames).
if (window.top === window.self) new App().run()
else document.body.textContent = 'stridebus is not shown within another page: open it in a window of its own.'
