/** The way to a server, which can be pulled out: what is under way breaks, and nobody gets through. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Cable {
  /** As the server's, on another port. */
  readonly url: string;
  plug(isIn: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startCable(target: string): Promise<Cable> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const joined = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const listen = async (at: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = joined(connect(Number(port), hostname));
      joined(near).pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server: Server | undefined = await listen(0);
  const own = (server.address() as AddressInfo).port;
  const pull = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    closing.close();
    for (const socket of sockets) socket.destroy();
    await once(closing, 'close');
  };
  return {
    url: `http://127.0.0.1:${own}`,
    async plug(isIn) {
      if (!isIn) return await pull();
      server ??= await listen(own);
    },
    close: pull,
  };
}
