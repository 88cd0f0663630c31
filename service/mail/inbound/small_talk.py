"""Small talk of replies: whole sentences that ask for nothing (`word_forms.sentence_pattern`)."""

from service.mail.inbound.word_forms import sentence_pattern

_ENGLISH = """
    [i hope you|i wish you|and|please]* [all] have (a|an) [very|really] {nice} {day} [{all}]
    [i wish you|wishing you] [all] [a|an] [very] {nice} {day} [{all}]
    enjoy [your|the] [{day}|game] [{all}]
    [it's|it is|it was|that was|that is|this is|such|what] [a] [really|very] {fun} {game} [so \
        far] [{all}]
    (well|nicely) (played|done) [so far] [{all}]
    [so|very|i'm|i am]* sorry [again] [for|about] [the|my|this] [long|late|slow|delayed]* \
        [{delay}] [{all}]
    [so|very]* sorry (it took|that it took) [me] so long [{all}]
    [so|very]* sorry for (taking so long|keeping you waiting|being so slow|being late|being \
        slow) [{all}]
    [so|very]* sorry (to keep you waiting|i am late|i'm late|i'm so late|for my late reply) [{all}]
    [i] hope (you are|you're|you all are|all is|everyone is|everything is) [all] [doing] {well}
    [i] hope this finds you {well}
    (good luck|have fun|happy gaming|congratulations|congrats) [and have fun|and good luck] [{all}]
    happy (new year|easter|friday|birthday|holidays|weekend|playing|monday|christmas) [{all}]
    merry christmas [{all}]
    (this|the game|it) is [so|really|great|a lot of|much] fun
    i [really] (like|love|enjoy) (this|the) game
    (i am|i'm) [really] enjoying (this|it|the game)
    my (move|choice|answer|reply|turn|pick|decision) [is]
    (here|here's|here is|here comes|here are|this is) my (move|choice|answer|reply|turn|pick)
    [many] (thanks|thank you|thx) [so much|a lot|very much] for [the|your|this|all|a|that]* \
        {gift} [{all}]
    (how are you|how's it going|what's up) [doing|all|today]*
    (no problem|no worries|no hurry|no rush|not bad|not bad so far|take your time)
    see you (tomorrow|around|next time|all) [{all}]
    (lol|haha|hahaha|hehe|phew|wow|yay|hmm|hm|ah|oh|gg|gl|hf|tia|well well) [gl|hf]
    (greetings|regards|best wishes|love) from [the] ~
    [it|that|this] [was|is] [a] (tough|hard|difficult|easy|tricky|close) \
        (one|choice|decision|call|game)
    [it is|it's] getting (exciting|interesting|close)
"""
_GERMAN = """
    [und] [ich] [wünsche|wünsch] [dir|euch|allen] [allen|auch|noch]* [einen|eine|ein] [noch] \
        [recht|sehr|ganz] {schön} {tag} [noch|euch|dir|allen|zusammen]*
    [das ist|das war|bisher] [ein|eine] [echt|sehr|wirklich] {toll} {spiel} [bisher|bis \
        jetzt|leute|so weit]
    [sehr] (gut|schön|toll|klasse|stark) gespielt [euch|allen|alle]
    [es|das|das spiel] macht [echt|richtig|sehr|viel|wirklich]* (spaß|laune) [mit euch]
    [bitte] {sorry} [bitte|nochmal] [für|wegen] [die|der|meine|das] [so|sehr|etwas] {späte} \
        {antwort}
    [bitte] {sorry} [bitte|nochmal|leute|euch]
    {sorry} dass (es|ich|ihr) [so|mich]* (lang|lange|spät) [erst] (gedauert hat|gebraucht \
        habe|antworte|gewartet habt|melde|warten musstet)
    [ich] (hoffe|hoff) [mal] (es geht|dir geht es|euch geht es|dir geht's|euch geht's|alles \
        ist|alles) [dir|euch] [allen] (gut|klar|ok|okay|bestens)
    (viel|viele|gutes) (spaß|glück|erfolg|vergnügen|gelingen) [noch|euch|allen|weiterhin|an \
        alle|beim spielen]*
    (frohe|schöne|gesegnete) (weihnachten|ostern|feiertage|pfingsten) [euch|allen]*
    (frohes neues|gutes neues|frohes neues jahr|guten rutsch|herzlichen glückwunsch|glückwunsch) \
        [euch|allen]*
    (mein zug|meine wahl|meine antwort|meine entscheidung) [ist|lautet]
    [und] (hier|anbei) [ist|kommt] (mein zug|meine wahl|meine antwort|meine entscheidung)
    [vielen|herzlichen|lieben|besten] (dank|danke) [sehr|schön|euch|dir]* (für|fürs) \
        [die|das|den|euer|eure|deine|dein|schöne|tolle|schnelle]* {gabe}
    (wie geht's|wie gehts|wie geht es) [euch|dir] [so]
    (kein problem|kein stress|keine eile|nicht schlecht|alles klar|alles gut|mahlzeit|na dann|na \
        gut)
    (oh je|ach ja|ähm|äh|mmm|mhm|puh|ui|aha|tja|juhu|hihi)
    bis (nächstes mal|nachher|die tage|morgen|gleich)
    (knifflig|spannend|schwierig|lustig|schwere entscheidung|schwierige entscheidung)
    (es|das) (bleibt|wird|ist) (spannend|knifflig|eng|lustig|schwierig)
    [viele|liebe|beste|schöne]* (grüße|gruß) (aus|von|vom|an) [dem|der|die|den] ~
"""
_SPANISH = """
    mi (jugada|elección|respuesta|opción|decisión) [es]
    [y] [te|os|les] [deseo] [que] {tengas} [todos] [un|una|de un|del|el] [muy|feliz] \
        [buen|buena|gran|lindo|bonito|feliz] {día} [a todos|todos]
    [muy] (buen|buena|feliz|bonito|lindo) {día} [a todos|para todos|a todas]
    [es|está siendo|ha sido|fue|qué] [una|un] [muy] {linda} (partida|juego|jugada|idea|ronda) \
        [hasta ahora|a todos|por ahora|de momento]
    [muy] bien jugado [a todos|todos]
    (me está|está siendo|estoy) [muy] (divertido|divertida|divirtiendo|gustando) [mucho]
    me (gusta|encanta) [mucho] (este|el) juego
    [lo] {perdón} [por] [la|el|mi|mucho|haber]* {demora} [tanto|en responder|en contestar]*
    [lo] {perdón} [a todos]
    espero que (estés|estéis|estén|esté|todo vaya|todo esté|os vaya|te vaya) [todos|todo] [muy] \
        bien
    [mucha|buena] suerte [a todos|a todas|para todos]
    (felicidades|enhorabuena|felices fiestas|feliz navidad|feliz año|feliz año nuevo) [a todos]
    (aquí|ahí) (está|va|tienes|os dejo|te dejo) mi (jugada|respuesta|elección|turno)
    [muchas|mil] gracias [a todos] por [el|la|los|las|tu|su|vuestra|esta|una|buena|gran]* {regalo}
    (qué tal|cómo estás|cómo estáis|cómo va|cómo están) [todo|todos|va|estáis|estás]
    (sin problema|sin prisa|no hay problema|no está mal|no pasa nada|jaja|jajaja|uf|vaya|ay)
    [qué|muy|es|está]* (difícil|complicado|divertido|emocionante|reñido|reñida)
    saludos (desde|de|a) [la|el] ~
"""
SMALL_TALK = sentence_pattern(
    _ENGLISH,
    _GERMAN,
    _SPANISH,
    all="everyone|everybody|all|to all|to everyone|to you|to you all|you all|folks|guys|team",
    nice="nice|good|great|lovely|wonderful|happy|pleasant|fine",
    day="day|evening|night|morning|afternoon|weekend|week|one|time|trip|holiday|holidays|monday|"
    "tuesday|wednesday|thursday|friday|saturday|sunday|rest of the day|rest of your day",
    fun="good|nice|great|fun|fantastic|lovely|close|exciting|interesting",
    game="game|match|round|one|move|play|idea",
    delay="delay|reply|answer|response|wait|delay in replying",
    well="well|fine|good|ok|okay|great",
    gift="game|games|mail|email|message|reminder|patience|waiting|everything|organising|organizing|"
    "hosting|update|info|help|invitation|nice game|great game|good game|quick reply|reply",
    schön="schön|schöne|schönen|schönes|gut|gute|guten|gutes|toll|tolles|tollen|angenehmen|"
    "erholsames|sonnigen|sonniges",
    tag="tag|abend|nachmittag|morgen|sonntag|samstag|freitag|feiertag|urlaub|start in die woche|"
    "woche|feierabend|wochenstart|wochenende|ferien|tage|zeit|restsonntag",
    toll="gut|gutes|gute|guter|schön|schönes|schöne|toll|tolles|tolle|toller|spannend|spannendes|"
    "spannende|super|klasse|nettes|lustiges",
    spiel="spiel|partie|runde|zug|idee",
    sorry="entschuldige|entschuldigt|entschuldigung|verzeih|verzeiht|verzeihung|sorry|sry|pardon|"
    "tut mir leid",
    späte="späte|verspätete|lange|verzögerte|langsame|kurze|späten|lange",
    antwort="antwort|rückmeldung|verspätung|verzögerung|wartezeit|reaktion",
    gabe="mail|nachricht|erinnerung|geduld|spiel|partie|runde|einladung|organisieren|alles|warten|"
    "mitspielen|info|hilfe|antwort|mühe",
    tengas="tengas|tengáis|tengan|tenga|pases|paséis|pasen|disfrutes|disfrutad",
    día="día|fin de semana|finde|tarde|noche|semana|domingo|sábado|viernes|lunes|descanso",
    linda="buena|buen|gran|bonita|linda|divertida|interesante|emocionante|reñida",
    perdón="perdón|perdona|perdonad|perdonen|disculpa|disculpad|disculpas|disculpen|siento|lamento|"
    "mil disculpas|mis disculpas",
    demora="demora|retraso|tardanza|tardar|tardado|espera|respuesta tardía|responder tarde|"
    "contestar tarde",
    regalo="partida|juego|correo|mensaje|recordatorio|paciencia|aviso|invitación|todo|ayuda|"
    "organizar|esperar",
)
# Texts such as "see below", where the choice is marked in the quote.
SEE_QUOTE = sentence_pattern(
    """
    [please] (see|look) [it|at] [the|my] [x|cross|mark] (below|inline|mark|marked)
    [my] [answer|reply|choice] [is] (below|inline|marked|marked below)
    (s.u|s. u|siehe unten|siehe bitte unten|unten|antwort unten|siehe markierung|siehe kreuz)
    [unten|ist]* (angekreuzt|markiert)
    [ver|véase|mira] (abajo|más abajo|marcado|marcada|marcado abajo|marcada abajo)
    """
)
