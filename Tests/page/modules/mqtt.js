// Stands for mqtt.js, which the pure modules name and do not use; a test may give a client of its own.
export const broker = {
  connect() {
    throw new Error('no broker here')
  },
}

export function connect() {
  return broker.connect()
}
