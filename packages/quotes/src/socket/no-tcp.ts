/** Hosts without TCP, such as browsers. */
import type { TcpSockets } from './port.ts'

export const supportsCustomCa: boolean = false

export const tcpSockets: TcpSockets = undefined
