"""Sentences for commands in three languages, one a line (`word_forms.sentence_pattern`).

They are compared in folded form, without politeness.
"""

from collections.abc import Mapping

from service.mail.inbound.command_types import (
    Back,
    Command,
    MailChoice,
    Resign,
    Show,
    ShowPlan,
    Undo,
)
from service.notify.preferences import DAILY, EVERY, OFF

# What can be shown; `ASKED_FOR` are the sentences that ask for it.
THINGS: Mapping[Command, str] = {
    Show("help"): "help|list of commands|commands|hilfe|befehle|befehlsliste|ayuda|comandos",
    Show("board"): "board|game board|position|map|brett|spielbrett|spielplan|spielfeld|stellung|"
    "tablero|posición",
    Show("log"): "log|history|last moves|recent moves|game log|verlauf|protokoll|spielverlauf|"
    "letzten züge|registro|historial|últimas jugadas",
    Show("rules"): "rules|game rules|rules of the game|rulebook|regeln|spielregeln|anleitung|"
    "spielanleitung|reglas|reglas del juego|instrucciones",
    Show("games"): "games|list of games|open games|spiele|partien|laufenden spiele|"
    "laufenden partien|partidas|juegos|lista de partidas",
    ShowPlan(): "plan|preferences list|wunschliste",
}
ASKED_FOR = """
    [please] [can you|could you|would you|will you] [please] (show|send|give|mail|get) [me|us] \
        [again|please]* [the|my|a|all|our]* [current|latest|full] {things} \
        [of this game|of the game] [please|again|now]*
    (can|could|may) (i|we) [please] (see|have|get|read|look at) [the|my|a|all]* {things} \
        [please|again|now]*
    (i|we) (want|would like|need|wish) [to see|to read|to have|to get|to look at] \
        [the|my|some|a|all]* {things} [please|again]*
    (i'd like|i'd love) [to see|to read|to have] [the|my|some]* {things} [again|please]*
    let (me|us) (see|read) [the|my] {things} [please|again]*
    what (are|is) [the|my] {things} [again|please]
    (what|how) does the {things} look [like] [now]
    [the|my] {things} please
    please [the|my] {things}
    (list|show|see|view) [the|my|all|our]* {things} [please]
    [bitte] [das|den|die|meine|meinen|alle]* {things} [bitte] (schicken|zeigen|senden) [bitte]
    [bitte] (zeig|zeige|zeigt|schick|schicke|schickt|sende|gib|gebt) [mir|uns] \
        [bitte|mal|nochmal|doch]* [das|den|die|der|mein|meine|meinen|alle]* {things} \
        [bitte|an|nochmal|her]*
    (kannst|könntest|würdest) du [mir|uns] [bitte|mal|nochmal]* [das|den|die|meine|meinen] \
        {things} (zeigen|schicken|senden|geben) [bitte]
    [ich] (möchte|will|würde|brauche) [ich] [gern|gerne|bitte|mal]* [das|den|die|meine|meinen] \
        {things} [sehen|haben|lesen] [bitte]
    (kann|darf|könnte) ich [bitte|mal]* [das|den|die|meine|meinen] {things} \
        (sehen|haben|lesen|bekommen) [bitte]
    (wie|was) (sind|lauten|gehen) [nochmal] die {things} [nochmal]
    wie sieht (das|der) {things} aus
    [das|den|die] {things} bitte
    [por favor] (muéstrame|muestra|enséñame|envíame|mándame|dame|ver|mostrar|enviar|quiero|\
        quiero ver|quisiera ver|necesito|puedo ver|déjame ver|podría ver|me gustaría ver) \
        [el|la|las|los|mis|mi|todas]* {things} [por favor|otra vez]*
    [me] (puedes|podrías|puede|podría) (mostrar|enseñar|enviar|mandar|dar|mostrarme|enseñarme|\
        enviarme|mandarme|darme) [el|la|las|los|mis|mi] {things} [por favor]
    [me] (muestras|enseñas|envías|mandas|das) [el|la|las|los|mis|mi] {things} [por favor]
    (cuáles son|cuál es|cómo está|cómo son) [el|la|las|los|mis] {things}
    [el|la|las|los|mis] {things} por favor
"""
SENTENCES: Mapping[Command, str] = {
    Show("help"): """
    [can|could|would|will] [you|someone|anyone] [please] help [me|us] [please|out]*
    [can|could|would|will] [you] [please] (send|give|get) [me|us] [some] help [please]
    (i am|i'm|im) (lost|stuck|confused) [please] [help] [me] [please]
    i need [some|your] help [please]
    what can i (write|do|say|answer) [here]
    [ich] (brauche|benötige) [bitte] hilfe [bitte]
    (kannst|könntest) du mir [bitte|mal]* helfen
    hilf mir [bitte]
    [bitte] hilfe [bitte] ich (komme nicht zurecht|verstehe nichts|weiß nicht weiter)
    was kann ich [hier] (schreiben|tun|machen|antworten) [hier]
    [me] (puedes|podrías) (ayudar|ayudarme)
    ayúdame [por favor]
    necesito [tu] ayuda [por favor]
    qué puedo (escribir|hacer|responder)
    """,
    Show("log"): """
    what [has] happened [so far|since|since then|since my last turn|lately]
    was ist [bisher|zuletzt|seitdem] passiert
    qué (ha pasado|pasó)
    """,
    Show("games"): """
    (what|which) games am i (in|playing)
    where is it my turn
    which games (wait for me|are open)
    welche (spiele|partien) (habe|spiele) ich [gerade]
    wo bin ich (dran|am zug)
    qué partidas tengo
    """,
    Undo(): """
    [please|i want to|i'd like to|i would like to]* (undo|take back|revert|retract) \
        [that|it|this|the|my|last|previous|move|choice|turn|answer|please]*
    [please|i want to|i'd like to|i would like to]* take (that|it|this|my move|the move|\
        my last move|the last move|my choice|my last choice) back [please]
    [bitte|ich|möchte|will|würde|gern|gerne]* [das|es|den|meinen|meine|die|diesen] \
        [letzten|letzte] \
        [zug|wahl|antwort] [bitte|wieder]* (zurücknehmen|rückgängig \
        machen|rückgängig|zurückziehen) \
        [bitte]
    [bitte|ich]* (nimm|nehme|mach|mache|ziehe) [bitte] (das|es|den zug|meinen zug|\
        meinen letzten zug|den letzten zug) [bitte|wieder]* (zurück|rückgängig) [bitte]
    [por favor|quiero|quisiera|me gustaría]* (deshacer|deshaz|anular|anula|retirar|retira) \
        [lo|eso|la|mi|última|jugada|elección|por favor]*
    """,
    Back(): """
    (i am|i'm|im) (back|here) [again|now|home] [from my holiday|from holiday|from vacation]
    back (again|home|now)
    [ich] bin [jetzt|nun] (wieder|zurück) [da|zurück|hier|zu hause|daheim]* [aus dem urlaub]
    (wieder zurück|aus dem urlaub zurück)
    [ya] (he vuelto|estoy de vuelta|volví|regresé|he regresado|estoy aquí) [ya|otra vez|de nuevo]* \
        [de vacaciones|de mis vacaciones]
    """,
    Resign(False): """
    (i want to|i would like to|i'd like to|i wish to|i have to|i'll|i will|let me) (resign|give up|\
        concede) [please|now|this game|the game|my seat]*
    i (resign|give up|concede|quit|surrender) [now|this game|the game]
    [ich] (möchte|will|würde) [ich] [gern|gerne|bitte]* [das spiel|die partie|dieses spiel] aufgeben
    [ich] gebe [ich] [das spiel|die partie] auf
    (quiero|quisiera|deseo|me gustaría) (abandonar|rendirme) [la partida|el juego]
    [yo] (me rindo|abandono) [la partida|el juego]
    """,
    MailChoice(DAILY): """
    [please] [just|only] [send me|i want|i'd like|i would like|give me] [only|just] \
        (one|1|a single|a) {mail} (a|per|each|every) day [please|only]*
    [please] [only] [a] daily {mail} [please|only]*
    [bitte] [schick mir|schicke mir|ich möchte|ich will|ich hätte gern|ich hätte gerne] \
        [bitte|nur]* \
        [noch] (eine|1|eine einzige) {mail} (am|pro|jeden) tag [bitte]
    [por favor] [envíame|mándame|quiero] [solo] (un|1) {mail} (al|por|cada) día [por favor]
    """,
    MailChoice(EVERY): """
    [please] [send me|i want] [a|an|one] {mail} (for|at|on|after) (every|each) (turn|move) [please]
    [bitte] [schick mir|schicke mir] [bitte] [eine] {mail} (bei|zu|nach) jedem zug [bitte]
    [por favor] [quiero|quisiera|me gustaría] [recibir] [envíame] [un] {mail} (en|por|para) cada \
        (turno|jugada) [por favor]
    """,
}
MAILS = "e-?mails?|mails?|correos?|correos electrónicos|messages?|mensajes?|nachricht|nachrichten"
# Only as all of a reply.
WHOLE_REPLIES: Mapping[Command, str] = {
    MailChoice(OFF): """
    [please] (no more|stop|stop the|stop all|stop these|stop sending|stop sending me|\
        stop sending me these|don't send me any more|don't send me|don't send any more) [of] \
        [these|your|this|the] {mail} [please|anymore|any more|to me]*
    [please] (unsubscribe|remove) [me] [please] [from|off] [this|the|your|all|these]* \
        [mailing list|list|mails|emails] [please]
    (stop please|please stop|i want to unsubscribe|i would like to unsubscribe|take me off the list)
    [bitte] [schick|schicke|schickt] [mir] [ich möchte|ich will] [bitte] keine [weiteren] {mail} \
        [mehr] [schicken|senden|bekommen|erhalten|bitte]*
    [bitte|ich|möchte|will|mich|gern|gerne|wieder]* (abmelden|abbestellen|austragen) [bitte]
    [bitte] (melde|meld|meldet|trag|trage|tragt) mich [bitte] (ab|aus)
    {mail} [bitte] (abbestellen|abmelden) [bitte]
    [por favor] (no quiero más|no quiero recibir más|no más|no me envíes más|no me mandes más|\
        no me envíen más|deja de enviarme|dejen de enviarme|basta de) {mail} [por favor]
    [por favor] [quiero|deseo|quisiera] (darme|darse|dadme|dame|denme) de baja [por favor|de|la|\
        esta|estos|lista|correos]*
    (baja por favor|cancelar la suscripción|cancelar mi suscripción)
    """,
}
# Absences; the dots are the days.
AWAY = """
    (i am|i'm|im|i will be|i'll be|i am going to be|i'm going to be) {gone} .. [please]
    .. (i am|i'm|i will be|i'll be) {gone}
    [ich] (bin|werde) [ich] [leider] {weg} .. [sein]
    [ich] (bin|werde) [ich] [leider] .. [leider] {weg} [sein]
    .. (bin|werde) ich [leider] {weg} [sein]
    (estoy|estaré|voy a estar|me voy|me iré|salgo) {fuera} ..
    no (estoy|estaré|voy a estar) ..
    .. (estoy|estaré) {fuera}
"""
GONE = """
    away|absent|gone|on holidays?|on vacation|on leave|travelling|traveling|on a trip|not here|
    not there|not available|not around|unavailable|offline|out of town|off
"""
WEG = """
    weg|abwesend|im urlaub|in urlaub|in den ferien|verreist|unterwegs|nicht da|fort|auf reisen|
    nicht hier|nicht verfügbar|nicht erreichbar|nicht zu hause|offline|auf urlaub
"""
FUERA = "fuera|ausente|de vacaciones|de viaje|no disponible|desconectado|desconectada"
