/** Browsers, and whatever else has WebSocket alone. */
import type { TcpSockets } from './port.ts'

export const tcpSockets: TcpSockets = undefined
