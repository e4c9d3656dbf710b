/** The input of a call that sends one message. */
export async function* oneMessage<T>(message: T): AsyncGenerator<T> {
  yield message
}
