/** Reports a pair of scene and status that no source shows. */
import { type Decoder, decoder } from '../decoder.ts'
import { drift, UNREADABLE } from '../reading.ts'
import { SCENE_STATUS_SEEN } from './order-fields.ts'

/** The same decoder, which in strict mode compares the pair with {@link SCENE_STATUS_SEEN}. */
export function sceneStatus<
  T extends { readonly sceneType?: string | undefined; readonly orderStatus: string },
>(order: Decoder<T>): Decoder<T> {
  return decoder(order.definition, (value, reading) => {
    const event = order['~read'](value, reading)
    if (event === UNREADABLE) return event
    const seen = SCENE_STATUS_SEEN.get(event.sceneType ?? '')
    if (seen !== undefined && seen !== event.orderStatus) {
      reading.path.push('order_status')
      drift(reading, 'unexpected-pair', `${seen} with ${event.sceneType}`, event.orderStatus)
      reading.path.pop()
    }
    return event
  })
}
