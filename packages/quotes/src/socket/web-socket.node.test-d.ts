/** Type test: WebSocket classes of hosts and of `ws` are accepted. Compiled, never run. */
import { WebSocket as WsWebSocket } from 'ws'
import type { WebSocketClass } from './web-socket.ts'

declare const HostWebSocket: typeof WebSocket

export const fits: readonly WebSocketClass[] = [WsWebSocket, HostWebSocket]
