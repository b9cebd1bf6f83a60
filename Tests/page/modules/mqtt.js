// Stands for mqtt.js, which the pure modules name and do not use.
export function connect() {
  throw new Error('no broker here')
}
