/** Browsers, and whatever else has WebSocket alone. */
import type { TcpSockets } from './port.ts'

export const takesAuthorities: boolean = false

export const tcpSockets: TcpSockets = undefined
