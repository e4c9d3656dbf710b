/** The classes that hosts and packages have are taken as they are. Compiled, never run. */
import { WebSocket as WsWebSocket } from 'ws'
import type { WebSocketClass } from './web-socket.ts'

declare const HostWebSocket: typeof WebSocket

export const fits: readonly WebSocketClass[] = [WsWebSocket, HostWebSocket]
