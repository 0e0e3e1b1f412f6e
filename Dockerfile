# The image of prorata: `docker build --tag prorata:0.1.0 .`, for the platform that it is built on.
# docs/install/kubernetes.md describes its deployment. test/deploy/image.test.ts runs these steps by the
# same Node and the tree in a Debian 13 root: keep them few and simple (COPY, RUN without a pipe, ENV).

# The major version of Node and of Debian are those of the base below: native files are built for both.
FROM node:24.22.3-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE tsconfig.json ./
COPY scripts scripts
COPY src src
COPY workers workers
RUN node scripts/prepare.js
ARG SOURCE_DATE_EPOCH=0
RUN node --import tsx scripts/lay-out.ts /image
# By the user below: the root of the image cannot be written.
RUN node --import tsx scripts/compile-cache.ts /image/app 65532

# Neither a shell nor a package manager. Its user `nonroot` is 65532.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
COPY --from=build /image/app /app
# A volume that is mounted here begins as its owner's.
COPY --from=build --chown=65532:65532 /image/data /data
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV DATA_DIR=/data
# Bills from URLs are read into files: nothing but the volume can be written.
ENV TMPDIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 9003
ENTRYPOINT ["/nodejs/bin/node", "/app/src/bundle/main.js"]
CMD ["serve"]
