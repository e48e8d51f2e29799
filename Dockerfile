# The command `trample` without a graphics device: docker build -t trample . && docker run --rm -v "$PWD:/work" trample run
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p trample-cli && target/release/trample man --out /man

FROM debian:bookworm-slim
COPY --from=build /src/target/release/trample /usr/local/bin/trample
COPY --from=build /man /usr/local/share/man/man1
COPY LICENSE-MIT LICENSE-APACHE THIRD-PARTY.md /usr/local/share/doc/trample/
WORKDIR /work
ENTRYPOINT ["trample"]
CMD ["--help"]
