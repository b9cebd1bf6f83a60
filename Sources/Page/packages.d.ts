// What the page uses of the packages that it is bundled with.

declare module 'mqtt' {
  interface Options {
    clientId: string
    protocolVersion: 4
    clean: boolean
    keepalive: number
    connectTimeout: number
    reconnectPeriod: number
    resubscribe: boolean
    username?: string
    password?: string
    will?: { topic: string; payload: string; qos: 0 | 1; retain: boolean }
  }
  interface Client {
    on(event: 'connect' | 'close', listener: () => void): void
    on(event: 'error', listener: (error: unknown) => void): void
    on(event: 'packetreceive', listener: (packet: { cmd: string; messageId: number; granted: number[] }) => void): void
    on(event: 'message', listener: (topic: string, payload: Uint8Array) => void): void
    subscribe(filter: string, options: { qos: 0 | 1 }): void
    unsubscribe(filter: string): void
    publish(
      topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }, done: (error?: Error) => void): void
    end(force?: boolean): void
    /** The filters of each SUBSCRIBE without SUBACK, by number. */
    messageIdToTopic: Record<number, string[]>
    /** Packets without their acknowledgement, by number. */
    outgoing: Record<string, unknown>
    removeOutgoingMessage(number: number): void
  }
  export function connect(url: string, options: Options): Client
}

declare module 'chart.js' {
  export class Chart {
    static register(...parts: unknown[]): void
    static defaults: { font: { family: string; size: number }; color: string; animation: unknown }
    constructor(canvas: HTMLCanvasElement, configuration: object)
    destroy(): void
  }
  export const BarController: unknown, BarElement: unknown, CategoryScale: unknown, Filler: unknown
  export const LineController: unknown, LineElement: unknown, LinearScale: unknown, PointElement: unknown, Tooltip: unknown
}

declare module 'qrcode-generator' {
  interface Code {
    addData(text: string): void
    make(): void
    getModuleCount(): number
    isDark(row: number, column: number): boolean
  }
  export default function qrcode(type: 0, correction: 'L' | 'M' | 'Q' | 'H'): Code
}
