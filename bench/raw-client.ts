/**
 * Clients of an answer in chunks, as cheap as they can be: a socket that throws away what it reads,
 * and sockets that ask and then read nothing.
 */
import { connect, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';

const READ_BYTES = 1 << 20;
const LAST_CHUNK = '0\r\n\r\n';

/** The bytes on the wire of the answer to a GET, head and chunk frames among them. */
export function discard(origin: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const { hostname, port } = new URL(origin);
    const callback = (count: number): boolean => {
      bytes += count;
      const isEnd = buffer.subarray(Math.max(0, count - LAST_CHUNK.length), count);
      if (isEnd.toString('latin1') !== LAST_CHUNK) return true;
      socket.destroy();
      resolve(bytes);
      return false;
    };
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`cut after ${bytes} bytes`)));
    socket.write(request(hostname, path));
  });
}

/** Asks, and reads nothing until it is destroyed. */
export function stalledReader(origin: string, path: string): Socket {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.pause().write(request(hostname, path));
  return socket;
}

/** Length and CRC-32 of a body. */
export async function checked(url: string): Promise<{ bytes: number; crc: number }> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  let [bytes, crc] = [0, 0];
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    crc = crc32(part, crc);
  }
  return { bytes, crc };
}

function request(host: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n\r\n`;
}
