/** Compiled and never run: Node's own values fit the transport's structures. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { DuplexLike, TlsOptions } from './host-types.ts'
import type { CreateConnection } from './options.ts'

declare const options: ConnectionOptions
declare const sockets: { readonly plain: Socket; readonly tls: TLSSocket; readonly duplex: Duplex }

export const tls: TlsOptions = options
export const fits: readonly DuplexLike[] = [sockets.plain, sockets.tls, sockets.duplex]
export const opened: CreateConnection = async () => sockets.plain
