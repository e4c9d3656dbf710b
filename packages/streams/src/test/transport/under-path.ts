/** An interceptor that puts a path before the path of the method, because `baseUrl` is only an origin. */
import type { Interceptor } from '@connectrpc/connect'

export function underPath(path: string): Interceptor {
  return (next) => (request) => {
    const url = new URL(request.url)
    url.pathname = path + url.pathname
    return next({ ...request, url: url.href })
  }
}
