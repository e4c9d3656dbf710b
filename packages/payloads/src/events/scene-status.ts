/** The check of scene and status of an order event. */

import { INVALID, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'
import { OBSERVED_SCENE_STATUS } from './order-fields.ts'

/**
 * Adds a check to a decoder: in strict mode, a status that differs from the scene's status in
 * {@link OBSERVED_SCENE_STATUS} is an issue.
 */
export function sceneStatus<
  T extends { readonly sceneType?: string | undefined; readonly orderStatus: string },
>(order: Decoder<T>): Decoder<T> {
  return decoder(order.definition, (value, context) => {
    const event = order['~decode'](value, context)
    if (event === INVALID) return event
    const seen = OBSERVED_SCENE_STATUS.get(event.sceneType ?? '')
    if (seen !== undefined && seen !== event.orderStatus) {
      context.path.push('order_status')
      reportDrift(context, 'unexpected-pair', `${seen} with ${event.sceneType}`, event.orderStatus)
      context.path.pop()
    }
    return event
  })
}
