/** Types of the used part of workerd's module: its full types would add all of its globals. */
declare module 'cloudflare:sockets' {
  interface Socket {
    readonly readable: {
      getReader(): { read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }> }
    }
    readonly writable: {
      getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> }
    }
    readonly opened: Promise<unknown>
    readonly closed: Promise<unknown>
    close(): Promise<void>
  }
  export function connect(
    address: { readonly hostname: string; readonly port: number },
    options: { readonly secureTransport: 'on' | 'off'; readonly allowHalfOpen: boolean },
  ): Socket
}
