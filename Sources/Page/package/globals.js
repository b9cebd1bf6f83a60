// What mqtt.js expects of Node.js to be there without an import.
export { Buffer } from 'buffer'
export { default as process } from 'process'
